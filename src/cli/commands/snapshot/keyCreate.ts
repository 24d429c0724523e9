import { randomBytes } from 'node:crypto'
import { SignerKey } from '../../../snapshot/blsKeys.ts'
import { writeSignerKey } from '../../../snapshot/signerKeyFile.ts'
import { defineCommand } from '../../command.ts'
import { EXIT_CODES } from '../../exitCodes.ts'
import { readPassphrase, required, SIGNER_KEY, withSnapshotErrors } from '../../snapshotCommand.ts'

/** `rhizome snapshot key create`: creates a key that signs snapshots. */
export const snapshotKeyCreate = defineCommand({
  name: 'snapshot key create',
  summary: 'make a key that signs snapshots, and print what others trust it by',
  details:
    'The file is encrypted with the passphrase (EIP-2335). Who trusts the key adds the line to --snapshot-keys.',
  files: 'none',
  options: [],
  extra: SIGNER_KEY,
  run: ({ extra, stdout }) =>
    withSnapshotErrors(async () => {
      const path = required(extra.keyFile, '--key-file')
      const key = SignerKey.generate(randomBytes(64))
      await writeSignerKey(path, key, await readPassphrase(extra.passphraseFile))
      stdout.write(`${key.publicKey}:${key.prove()}\n`)
      return EXIT_CODES.ok
    }),
})
