import { restSuites } from './suites.ts'

restSuites('postgres')
