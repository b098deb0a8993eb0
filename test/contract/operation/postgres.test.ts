import { operationSuites } from './suites.ts'

operationSuites('postgres')
