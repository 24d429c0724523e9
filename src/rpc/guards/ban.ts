import { BanError } from '../../p2p/bannedAddresses.ts'
import { invalidParams } from '../errors.ts'

/** Runs a change of the list of bans; an address that cannot be banned is -32602 (rpc.md §3.12). */
export async function banAnswer(text: string, change: () => Promise<void>): Promise<null> {
  try {
    await change()
    return null
  } catch (error) {
    if (error instanceof BanError) throw invalidParams(`invalid banned address ${text}`, { cause: error })
    throw error
  }
}
