import { invalidParams } from '../errors.ts'

/**
 * Runs a change of the list of bans; an address that cannot be banned is -32602 (rpc.md §3.12).
 * @param change returns whether the address could be banned
 */
export async function banAnswer(text: string, change: () => Promise<boolean>): Promise<null> {
  if (!(await change())) throw invalidParams(`invalid banned address ${text}`)
  return null
}
