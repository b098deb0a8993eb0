import { cmsSuites } from './suites.ts'

cmsSuites('sqlite')
