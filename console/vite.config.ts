import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

/** `npm run console`: hot reload; whatever is not the page comes from the server at ENTREPOT_URL. */
const server = process.env['ENTREPOT_URL'] ?? 'http://127.0.0.1:3000'
const paths = ['/api', '/jsonapi', '/graphql', '/cms', '/gateway', '/webhooks', '/uploads', '/docs']

export default defineConfig({
  root: import.meta.dirname,
  base: '/console/',
  plugins: [react()],
  // Same-origin calls stay same-origin: the sign-in is refused to pages of other hosts.
  server: { proxy: Object.fromEntries(paths.map((path) => [path, { target: server }])) },
})
