import { consoleSuites } from './suites.ts'

consoleSuites('postgres')
