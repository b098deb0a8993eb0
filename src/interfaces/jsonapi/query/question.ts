import type { Question } from '#content-query'
import type { UserDirectory } from '../read/users.ts'
import type { Asked } from '../request.ts'
import { splitParameters } from './parameters.ts'
import { mayNameUsers, type Reading } from './parse.ts'

interface RequestQuestion<Read> extends Question<Read> {
  /** What this one request says. */
  sent(): Read
}

/** The query of a request taken apart; `kind` says of what resource it is read. */
export async function questionOf<Read>(
  asked: Asked,
  kind: string,
  directory: Pick<UserDirectory, 'all' | 'revision'>,
  read: (reading: Reading) => Read,
): Promise<RequestQuestion<Read>> {
  const { catalogue, locale, parameters } = asked
  const split = splitParameters(parameters)
  const isAboutUsers = mayNameUsers(asked)
  const seen = isAboutUsers ? directory.revision() : ''
  const users = isAboutUsers ? await directory.all() : []
  const common = { catalogue, locale, users }
  return {
    model: catalogue.model,
    template: `${kind} ${locale} ${seen} ${split.template}`,
    values: split.values,
    read: (slots) => read({ ...common, parameters: split.read(slots) }),
    sent: () => read({ ...common, parameters }),
  }
}
