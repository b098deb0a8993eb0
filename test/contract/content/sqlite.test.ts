import { contentSuites } from './suites.ts'

contentSuites('sqlite')
