import { slowNodes } from '../contract/access/slow-nodes.ts'

slowNodes('Redis', 10)
slowNodes('PostgreSQL alone', 10)
