import { BannedAddresses } from './bannedAddresses.ts'
import { PeerScores } from './peerScores.ts'

/** What the node knows of its peers. */
export class PeerTable {
  readonly banned: BannedAddresses = new BannedAddresses()
  readonly scores: PeerScores = new PeerScores()
}
