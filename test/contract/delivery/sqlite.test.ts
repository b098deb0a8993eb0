import { deliverySuites } from './suites.ts'

deliverySuites('sqlite')
