import t from 'tap'
import { calendarDay, isTimezone, localDay } from '../../../src/util/localDay.ts'

const HOUR = 3_600_000
const at = (text: string) => Date.parse(text)
const dayOf = (text: string) => Date.parse(`${text}T00:00:00Z`) / (24 * HOUR)

t.test('the calendar of a place decides which day it is', (t) => {
  t.equal(localDay(at('2026-11-22T23:59:59.999Z'), 'UTC'), dayOf('2026-11-22'))
  t.equal(localDay(at('2026-11-22T22:59:59Z'), 'Europe/Zurich'), dayOf('2026-11-22'))
  t.equal(localDay(at('2026-11-22T23:00:00Z'), 'Europe/Zurich'), dayOf('2026-11-23'))
  t.equal(localDay(at('2026-11-22T02:59:59Z'), 'America/Buenos_Aires'), dayOf('2026-11-21'))
  t.equal(localDay(at('2024-02-29T12:00:00Z'), 'Pacific/Kiritimati'), dayOf('2024-03-01'))
  t.ok(isTimezone('Asia/Kathmandu'))
  t.notOk(isTimezone('Middle/Earth'))
  t.end()
})

t.test('a day ends at midnight, however many hours it has', (t) => {
  const length = (time: string, zone: string) => {
    const { start, end } = calendarDay(at(time), zone)
    return (end - start) / HOUR
  }
  t.equal(length('2026-11-22T12:00:00Z', 'UTC'), 24)
  t.equal(length('2026-03-29T12:00:00Z', 'Europe/Zurich'), 23, 'clocks forward')
  t.equal(length('2026-10-25T12:00:00Z', 'Europe/Zurich'), 25, 'clocks back')
  t.equal(length('2026-04-04T20:00:00Z', 'Australia/Lord_Howe'), 24.5, 'by half an hour')
  t.equal(length('2026-09-06T12:00:00Z', 'America/Santiago'), 23, 'at midnight itself')
  for (const zone of ['UTC', 'Europe/Zurich', 'America/Santiago', 'Asia/Kathmandu']) {
    let time = at('2026-01-01T00:00:00Z')
    for (let days = 0; days < 400; days += 1) {
      const { day, start, end } = calendarDay(time, zone)
      t.ok(start <= time && time < end)
      if (localDay(start - 1, zone) !== day - 1 || localDay(end, zone) !== day + 1) t.fail(`${zone} ${day}`)
      time = end
    }
  }
  t.end()
})
