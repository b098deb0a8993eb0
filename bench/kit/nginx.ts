import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ChildSpec } from './child.ts'

/** One worker, so that it is compared with one thread of ours; keep-alive on both sides. */
export function nginxSpec(directory: string, port: number, servers: string): ChildSpec {
  mkdirSync(directory, { recursive: true })
  const file = join(directory, 'nginx.conf')
  writeFileSync(file, configuration(directory, servers))
  return {
    command: 'nginx',
    args: ['-p', directory, '-c', file, '-e', join(directory, 'error.log')],
    env: { PATH: `${process.env['PATH'] ?? ''}:/usr/sbin` },
    readyUrl: `http://127.0.0.1:${port}/`,
  }
}

/** Answers every path with the same 200 bytes or so of JSON, as fast as anything can. */
export function backendServer(port: number): string {
  const body = JSON.stringify({ status: 'ok', filler: 'x'.repeat(180) })
  return `server {
    listen 127.0.0.1:${port};
    location / { default_type application/json; return 200 '${body}'; }
  }`
}

export function proxyServer(port: number, backendPort: number): string {
  return `upstream backend { server 127.0.0.1:${backendPort}; keepalive 64; }
  server {
    listen 127.0.0.1:${port};
    location / {
      proxy_pass http://backend;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
    }
  }`
}

function configuration(directory: string, servers: string): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((kind) => `  ${kind}_temp_path ${directory}/${kind};`)
    .join('\n')
  // As root, nginx would give its worker to another user, who cannot enter our directory.
  const user = process.getuid?.() === 0 ? 'user root;\n' : ''
  return `${user}daemon off;
worker_processes 1;
pid ${directory}/nginx.pid;
events { worker_connections 1024; }
http {
  access_log off;
  keepalive_requests 1000000;
${temporary}
  ${servers}
}
`
}
