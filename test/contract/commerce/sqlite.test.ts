import { commerceSuites } from './suites.ts'

commerceSuites('sqlite')
