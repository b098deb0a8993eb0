import { accessSuites } from './suites.ts'

accessSuites('nodes')
