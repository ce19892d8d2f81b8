// Before each test file: property tests draw the same examples every time, so that a red run can be had again. The long
// run draws new ones; its seed is printed with a failure and can be given as SAMELOOP_SEED.
import fc from 'fast-check'

const given = process.env['SAMELOOP_SEED']
const long = process.env['SAMELOOP_LONG'] === '1'

if (given !== undefined || !long) fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(given ?? 20_260_101) })
