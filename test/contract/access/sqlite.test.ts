import { accessSuites } from './suites.ts'

accessSuites('sqlite')
