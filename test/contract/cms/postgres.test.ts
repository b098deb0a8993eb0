import { cmsSuites } from './suites.ts'

cmsSuites('postgres')
