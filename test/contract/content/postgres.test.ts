import { contentSuites } from './suites.ts'

contentSuites('postgres')
