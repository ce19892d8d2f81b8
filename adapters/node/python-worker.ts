// The script of the process in which Node runs programs in Python.
import { disarm } from '../virtual/python/disarm.ts'
import { servePythonProcess } from './python/process.ts'
import { lendConstants, sealProcess } from './python/seal.ts'

servePythonProcess({
  prepare: lendConstants,
  onLoaded: () => {
    sealProcess()
    disarm()
  },
})
