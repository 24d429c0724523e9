import t from 'tap'
import { fillDefaults } from '../../../src/config/load.ts'
import {
  eventLimitsFromConfig,
  frontOptionsFromConfig,
  gatewayLimitsFromConfig,
  lanesFromConfig,
} from '../../../src/node/options/serviceOptions.ts'

t.test(
  'without options the service has the bounds of the reference node, and batches of 100 as ethers sends them',
  (t) => {
    const config = fillDefaults({ network: 'main' })
    t.match(frontOptionsFromConfig(config), {
      host: '127.0.0.1',
      port: 4444,
      hosts: ['*'],
      corsOrigin: null,
      maxBodyBytes: 5_242_880,
    })
    t.same(gatewayLimitsFromConfig(config), {
      batch: 100,
      answerBytes: 10_485_760,
      responseCacheBytes: 67_108_864,
    })
    t.same(eventLimitsFromConfig(config), {
      filters: { timeout: 300_000, most: 10_000 },
      subscriptions: 1000,
    })
    t.equal(gatewayLimitsFromConfig(fillDefaults({})).batch, 1000, 'on the dev profile')
    t.match(lanesFromConfig(config).evm, { timeLimit: 5000 })
    t.end()
  },
)

t.test('what is configured reaches the service', (t) => {
  const config = fillDefaults({ httpPort: 0, maxBatchRequests: 7, laneTraceTimeout: 3 })
  t.equal(frontOptionsFromConfig(config).port, 0)
  t.equal(frontOptionsFromConfig(config).corsOrigin, 'loopback,extensions')
  const trustedOrigins = ['https://app.example']
  t.match(frontOptionsFromConfig(fillDefaults({ trustedOrigins })), { trustedOrigins, hosts: ['localhost'] })
  t.equal(gatewayLimitsFromConfig(config).batch, 7)
  t.match(lanesFromConfig(config).trace, { timeLimit: 3000, queue: config.laneTraceQueue })
  t.end()
})
