const { writeFileSync } = require('node:fs')
const { reporters, Runner } = require('mocha')

/** The usual report, and in the file named by REPORT how many tests passed and which failed. */
module.exports = class extends reporters.Spec {
  constructor(runner, options) {
    super(runner, options)
    runner.once(Runner.constants.EVENT_RUN_END, () => {
      const failures = this.failures.map((test) => test.fullTitle())
      writeFileSync(process.env.REPORT, JSON.stringify({ passes: this.stats.passes, failures }))
    })
  }
}
