import { deliverySuites } from './suites.ts'

deliverySuites('postgres')
