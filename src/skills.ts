// Instructions from files: skills that are read when they are needed, and what a project tells agents.
export { projectInstructions } from './skill/project-instructions.ts'
export type { ProjectInstructions } from './skill/project-instructions.ts'
export type { Skill } from './skill/skill.ts'
export { skills } from './skill/skills.ts'
export type { Skills } from './skill/skills.ts'
