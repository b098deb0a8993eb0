import { restSuites } from './suites.ts'

restSuites('sqlite')
