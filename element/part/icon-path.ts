// The drawings of the icons, as paths in a square of 24.
export const iconPaths = {
  check: 'M5 12.5l4.5 4.5L19 7.5',
  cross: 'M7 7l10 10M17 7L7 17',
  question: 'M9 9.2a3 3 0 1 1 4.6 2.5c-1 .7-1.6 1.2-1.6 2.3M12 17.4v.1',
  dash: 'M7 12h10',
  chevron: 'M9 6l6 6-6 6',
  up: 'M12 19V5M6 11l6-6 6 6',
  down: 'M12 5v14M6 13l6 6 6-6',
  stop: 'M7 7h10v10H7z',
  alert: 'M12 7.5v5.5M12 16.5v.1',
  calculator: 'M6 4h12v16H6zM9 8h6M9 12h.1M12 12h.1M15 12h.1M9 16h.1M12 16h.1M15 16h.1',
  pencil: 'M5 19l1-4L16 5l3 3L9 18zM14 7l3 3',
  search: 'M10.5 17a6.5 6.5 0 1 0 0-13 6.5 6.5 0 0 0 0 13zM15.5 15.5L20 20',
  file: 'M7 3.5h7l4 4v13H7zM14 3.5v4h4',
  folder: 'M3.5 6.5h6l2 2.5h9v10.5h-17z',
  download: 'M12 4v11M7 11l5 5 5-5M5 20h14',
  upload: 'M12 16V5M7 9l5-5 5 5M5 20h14',
  plus: 'M12 5v14M5 12h14',
  chat: 'M4 5h16v11H10l-4 4v-4H4z',
  run: 'M4 6h10M8 12h12M4 18h7',
  sun: 'M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM12 2.5v2M12 19.5v2M2.5 12h2M19.5 12h2M5.3 5.3l1.4 1.4M17.3 17.3l1.4 1.4M5.3 18.7l1.4-1.4M17.3 6.7l1.4-1.4',
  moon: 'M19.5 14.5A8 8 0 1 1 9.5 4.5a6.5 6.5 0 0 0 10 10z',
  half: 'M12 4a8 8 0 1 0 0 16zM12 4a8 8 0 0 1 0 16',
  history: 'M4 12a8 8 0 1 0 2.6-5.9M4 4.5v4h4M12 8v4.5l3 2',
  spark: 'M12 4v5M12 15v5M4 12h5M15 12h5',
} as const

export type IconName = keyof typeof iconPaths
