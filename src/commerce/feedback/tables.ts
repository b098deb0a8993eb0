export interface FeedbackTables {
  /** How far in the order of events somebody outside was told. */
  commerce_cursors: { name: string; seq: number }
}
