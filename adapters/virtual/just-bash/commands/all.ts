// The commands that just-bash has not, or that answer otherwise than models expect.
import type { CustomCommand } from 'just-bash/browser'
import { bc } from '../calculator/bc.ts'
import { diff } from './diff.ts'
import { gunzip, gzip, zcat } from '../archive/gzip.ts'
import { tar } from '../archive/tar.ts'
import { ls, mktemp } from './listing.ts'
import { echo, grep, printf, uniq, yes } from './text.ts'
import { xargs } from './xargs.ts'

export const commands: readonly CustomCommand[] = [
  bc,
  diff,
  echo,
  grep,
  gunzip,
  gzip,
  ls,
  mktemp,
  printf,
  tar,
  uniq,
  xargs,
  yes,
  zcat,
]
