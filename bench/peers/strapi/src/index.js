// Fills an empty database with the articles of the benchmark and lets everybody read and write them.
const { readFileSync } = require('node:fs')
const { randomBytes } = require('node:crypto')

const AT_ONCE = 500

module.exports = {
  register() {},
  async bootstrap({ strapi }) {
    if (await strapi.db.query('api::author.author').count()) return
    const { authors, articles } = JSON.parse(readFileSync(process.env.STRAPI_SEED, 'utf8'))
    const ids = []
    for (const data of authors) {
      ids.push((await strapi.documents('api::author.author').create({ data })).id)
    }
    await fill(strapi, ids, articles)
    const [role] = await strapi.db
      .query('plugin::users-permissions.role')
      .findMany({ where: { type: 'public' } })
    for (const action of ['find', 'findOne', 'create', 'update', 'delete']) {
      for (const type of ['article', 'author']) {
        await strapi.db.query('plugin::users-permissions.permission').create({
          data: { action: `api::${type}.${type}.${action}`, role: role.id },
        })
      }
    }
  },
}

// The rows that creating published documents leaves, a draft and what is live: one by one it takes an hour.
async function fill(strapi, authors, articles) {
  const { connection, metadata } = strapi.db
  const { tableName, attributes } = metadata.get('api::article.article')
  const { name, joinColumn, inverseJoinColumn, inverseOrderColumnName } =
    attributes.author.joinTable
  const now = Date.now()
  const rows = []
  const links = []
  for (const { author, ...article } of articles) {
    const document_id = `a${randomBytes(12).toString('hex').slice(1)}`
    for (const published_at of [null, now]) {
      const id = rows.length + 1
      rows.push({ id, document_id, ...article, created_at: now, updated_at: now, published_at })
      links.push({
        [joinColumn.name]: id,
        [inverseJoinColumn.name]: authors[author],
        ...(inverseOrderColumnName && { [inverseOrderColumnName]: links.length }),
      })
    }
  }
  await connection.batchInsert(tableName, rows, AT_ONCE)
  await connection.batchInsert(name, links, AT_ONCE)
}
