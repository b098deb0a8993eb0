import { operationSuites } from './suites.ts'

operationSuites('sqlite')
