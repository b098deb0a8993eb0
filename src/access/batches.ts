interface Asked<Question, Answer> extends PromiseWithResolvers<Answer> {
  readonly question: Question
}

/**
 * Puts questions together: what is asked while a batch is under way becomes the next one, so a
 * thousand who come at once cost a few round trips and nobody waits for a timer. `answerAll` says
 * how to find the answer to each.
 */
export function createBatches<Question, Answer>(
  most: number,
  answerAll: (questions: readonly Question[]) => Promise<(question: Question) => Answer>,
) {
  const waiting: Asked<Question, Answer>[] = []
  let isRunning = false
  return { ask }

  function ask(question: Question): Promise<Answer> {
    const asked = { ...Promise.withResolvers<Answer>(), question }
    waiting.push(asked)
    if (!isRunning) void run()
    return asked.promise
  }

  async function run() {
    isRunning = true
    while (waiting.length > 0) {
      const batch = waiting.splice(0, most)
      try {
        const answerTo = await answerAll(batch.map(({ question }) => question))
        for (const { question, resolve } of batch) resolve(answerTo(question))
      } catch (error) {
        for (const { reject } of batch) reject(error)
      }
    }
    isRunning = false
  }
}
