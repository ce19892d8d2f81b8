// Short facts beside the tables of an object, and of which version those are.

export function readMeta(sql: SqlStorage, key: string): string | undefined {
  makeMeta(sql)
  return sql.exec<{ value: string }>('SELECT value FROM meta WHERE key = ?', key).toArray()[0]?.value
}

export function writeMeta(sql: SqlStorage, key: string, value: string): void {
  makeMeta(sql)
  sql.exec('INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value', key, value)
}

function makeMeta(sql: SqlStorage): void {
  sql.exec('CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value TEXT NOT NULL)')
}

const version = '1'

/** Notes the version of tables, where none is noted. For those of a newer program it throws what `refuse` makes of the words. */
export function checkVersion(sql: SqlStorage, key: string, refuse: (words: string) => Error): void {
  const known = readMeta(sql, key)
  if (known === undefined) return writeMeta(sql, key, version)
  if (known !== version) throw refuse(`wanted tables of version ${version}, got version ${known}`)
}
