// Fills an empty database with the magazine and writes the token of full access where it is asked for.
const { writeFileSync } = require('node:fs')
const { fill } = require('./fill.js')

module.exports = {
  register() {},
  async bootstrap({ strapi }) {
    if (await strapi.db.query('api::author.author').count()) return
    await fill(strapi)
    const token = { name: 'move', type: 'full-access', lifespan: null, description: '' }
    const { accessKey } = await strapi.service('admin::api-token').create(token)
    writeFileSync(process.env.STRAPI_TOKEN_FILE, accessKey)
  },
}
