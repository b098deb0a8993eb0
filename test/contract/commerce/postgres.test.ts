import { commerceSuites } from './suites.ts'

commerceSuites('postgres')
