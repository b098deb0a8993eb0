import { slowNodes } from './slow-nodes.ts'

slowNodes('Redis', 2)
slowNodes('PostgreSQL alone', 2)
