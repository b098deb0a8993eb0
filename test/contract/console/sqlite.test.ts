import { consoleSuites } from './suites.ts'

consoleSuites('sqlite')
