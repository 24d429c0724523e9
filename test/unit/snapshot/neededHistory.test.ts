import t from 'tap'
import { networkByName } from '../../../src/config/networks/byName.ts'
import { NETWORK_NAMES } from '../../../src/config/networks/names.ts'
import { neededHistory } from '../../../src/snapshot/neededHistory.ts'

t.test(
  'main pays rewards after 4,000 blocks and a span of ten, elsewhere the BlockHeader contract looks back the furthest',
  (t) => {
    for (const name of NETWORK_NAMES) {
      t.equal(neededHistory(networkByName(name)), name === 'main' ? 4017 : 4007, name)
    }
    t.end()
  },
)
