import { accessSuites } from './suites.ts'

accessSuites('postgres')
