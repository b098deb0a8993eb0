module.exports = require('@strapi/strapi').factories.createCoreController('api::author.author')
