const path = require('node:path')

module.exports = () => ({
  connection: {
    client: 'sqlite',
    connection: { filename: path.resolve(process.env.STRAPI_DATABASE) },
    useNullAsDefault: true,
  },
})
