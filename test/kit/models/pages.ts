/** Pages whose every write changes several tables: names, tags, components in components, links. */
export const TYPES = {
  components: [
    {
      name: 'block',
      attributes: { text: { type: 'string' }, words: { type: 'tags' } },
    },
    {
      name: 'note',
      attributes: {
        text: { type: 'string' },
        by: { type: 'relation', relation: 'manyToOne', target: 'author' },
      },
    },
    { name: 'box', attributes: { note: { type: 'component', component: 'default.note' } } },
  ],
  contentTypes: [
    { singularName: 'topic', pluralName: 'topics', attributes: { name: { type: 'string' } } },
    { singularName: 'author', pluralName: 'authors', attributes: { name: { type: 'text' } } },
    {
      singularName: 'page',
      pluralName: 'pages',
      draftAndPublish: true,
      attributes: {
        title: { type: 'string' },
        slug: { type: 'uid', targetField: 'title' },
        code: { type: 'string', unique: true },
        count: { type: 'integer' },
        words: { type: 'tags' },
        blocks: { type: 'component', component: 'default.block', repeatable: true },
        box: { type: 'component', component: 'default.box' },
        author: { type: 'relation', relation: 'manyToOne', target: 'author' },
        topics: { type: 'relation', relation: 'manyToMany', target: 'topic' },
      },
    },
  ],
}
