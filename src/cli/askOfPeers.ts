import { CommandError } from './errors.ts'
import { createAsk } from './nodeClient.ts'

/** Calls a method of a running node about its peers; failures become messages for the user. */
export async function askOfPeers(
  url: string,
  method: string,
  params: readonly unknown[] = [],
): Promise<unknown> {
  try {
    return await createAsk(url)(method, params)
  } catch (error) {
    const { message } = error as Error
    const isClosed = message.includes('does not exist/is not available')
    const hint = isClosed ? ': the node has to be started with --modules that name admin and sco' : ''
    throw new CommandError('Failed', `${message}${hint}`, undefined, { cause: error })
  }
}
