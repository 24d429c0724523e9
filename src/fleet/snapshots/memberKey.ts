import { readFile } from 'node:fs/promises'
import type { SignerKey } from '../../snapshot/blsKeys.ts'
import { messageOf } from '../../snapshot/errors.ts'
import { readSignerKey } from '../../snapshot/signerKeyFile.ts'
import { FleetError } from '../errors.ts'

/** Files of the key with which a member signs snapshots. */
export interface MemberKeyFiles {
  /** As `rhizome snapshot key create` writes it. */
  readonly key: string
  /** Its first line is the passphrase of the key. */
  readonly passphrase: string
}

/** @throws FleetError `Unreadable` */
export async function readMemberKey(files: MemberKeyFiles): Promise<SignerKey> {
  try {
    const [passphrase = ''] = (await readFile(files.passphrase, 'utf8')).split(/\r?\n/)
    return await readSignerKey(files.key, passphrase)
  } catch (error) {
    throw new FleetError('Unreadable', `--fleet-signer-key: ${messageOf(error)}`, { cause: error })
  }
}
