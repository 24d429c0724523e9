import { askOfPeers } from '../../askOfPeers.ts'
import { defineCommand } from '../../command.ts'
import { EXIT_CODES } from '../../exitCodes.ts'
import { NODE_URL } from '../../nodeClient.ts'

/** `rhizome peer ban`: bans of a running node. */
export const peerBan = defineCommand({
  name: 'peer ban',
  summary: 'ban an IP address, or a block of them, from a running node, or list what is banned',
  details: 'Bans are kept until the node stops.',
  files: 'none',
  argument: {
    placeholder: '[ADDRESS]',
    doc: 'IP address, address/bits or host name; none lists what is banned',
  },
  options: [],
  extra: { ...NODE_URL, lift: { kind: 'boolean', group: 'Command', default: false, doc: 'Lift the ban' } },
  run: async ({ extra: { url, lift }, files: [address], stdout }) => {
    if (address !== undefined) {
      await askOfPeers(url, lift ? 'sco_unbanAddress' : 'sco_banAddress', [address])
    }
    const banned = (await askOfPeers(url, 'sco_bannedAddresses')) as readonly string[]
    stdout.write(banned.length === 0 ? 'nothing is banned\n' : `${banned.join('\n')}\n`)
    return EXIT_CODES.ok
  },
})
