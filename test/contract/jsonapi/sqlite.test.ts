import { jsonApiSuites } from './suites.ts'

jsonApiSuites('sqlite')
