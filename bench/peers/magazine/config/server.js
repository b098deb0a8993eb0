module.exports = () => ({
  host: '127.0.0.1',
  port: Number(process.env.STRAPI_PORT),
  app: { keys: ['bench-a', 'bench-b'] },
})
