// Fills an empty database with the articles of the benchmark and lets everybody read them.
const { readFileSync } = require('node:fs')

module.exports = {
  register() {},
  async bootstrap({ strapi }) {
    if (await strapi.db.query('api::author.author').count()) return
    const { authors, articles } = JSON.parse(readFileSync(process.env.STRAPI_SEED, 'utf8'))
    const ids = []
    for (const data of authors) {
      ids.push((await strapi.documents('api::author.author').create({ data })).documentId)
    }
    for (const { author, ...data } of articles) {
      await strapi
        .documents('api::article.article')
        .create({ data: { ...data, author: ids[author] }, status: 'published' })
    }
    const [role] = await strapi.db
      .query('plugin::users-permissions.role')
      .findMany({ where: { type: 'public' } })
    for (const action of ['find', 'findOne']) {
      for (const type of ['article', 'author']) {
        await strapi.db.query('plugin::users-permissions.permission').create({
          data: { action: `api::${type}.${type}.${action}`, role: role.id },
        })
      }
    }
  },
}
