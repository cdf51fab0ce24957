import { artifactDelete } from "./artifact_delete.ts";
import { artifactGet } from "./artifact_get.ts";
import { artifactList } from "./artifact_list.ts";
import { call } from "./call.ts";
import { catalog } from "./catalog.ts";
import { complete } from "./complete.ts";
import { configReload } from "./config_reload.ts";
import { configShow } from "./config_show.ts";
import type { Operation } from "./define.ts";
import { diagnose } from "./diagnose.ts";
import { elicitAnswer } from "./elicit_answer.ts";
import { elicitCancel } from "./elicit_cancel.ts";
import { elicitDecline } from "./elicit_decline.ts";
import { elicitList } from "./elicit_list.ts";
import { elicitShow } from "./elicit_show.ts";
import { elicitWatch } from "./elicit_watch.ts";
import { exec } from "./exec.ts";
import { historyCheck } from "./history_check.ts";
import { historyLock } from "./history_lock.ts";
import { historyShow } from "./history_show.ts";
import { intent } from "./intent.ts";
import { promptGet } from "./prompt_get.ts";
import { promptList } from "./prompt_list.ts";
import { recipeDelete } from "./recipe_delete.ts";
import { recipeList } from "./recipe_list.ts";
import { recipeMatch } from "./recipe_match.ts";
import { recipeRun } from "./recipe_run.ts";
import { recipeSave } from "./recipe_save.ts";
import { recipeShow } from "./recipe_show.ts";
import { refresh } from "./refresh.ts";
import { resourceList } from "./resource_list.ts";
import { resourceRead } from "./resource_read.ts";
import { restart } from "./restart.ts";
import { scriptList } from "./script_list.ts";
import { search } from "./search.ts";
import { serverAdd } from "./server_add.ts";
import { serverEntries } from "./server_entries.ts";
import { serverList } from "./server_list.ts";
import { serverRemove } from "./server_remove.ts";
import { settingGet } from "./setting_get.ts";
import { settingList } from "./setting_list.ts";
import { settingSet } from "./setting_set.ts";
import { settingUnset } from "./setting_unset.ts";
import { status } from "./status.ts";
import { stop } from "./stop.ts";
import { taskCancel } from "./task_cancel.ts";
import { taskGet } from "./task_get.ts";
import { taskList } from "./task_list.ts";
import { taskResult } from "./task_result.ts";
import { toolDescribe } from "./tool_describe.ts";
import { toolList } from "./tool_list.ts";
import { types } from "./types.ts";

/** An operation whose input and output types do not matter to the reader. */
// deno-lint-ignore no-explicit-any -- the table holds operations of every input and output
export type AnyOperation = Operation<any, any>;

/** Every operation; the command line, `/v1`, OpenAPI and the reference page are derived from this list. */
export const OPERATIONS: readonly AnyOperation[] = [
  serverList,
  toolList,
  search,
  toolDescribe,
  types,
  catalog,
  call,
  exec,
  scriptList,
  artifactList,
  artifactGet,
  artifactDelete,
  intent,
  recipeList,
  recipeMatch,
  recipeShow,
  recipeRun,
  recipeSave,
  recipeDelete,
  diagnose,
  historyShow,
  historyLock,
  historyCheck,
  elicitList,
  elicitWatch,
  elicitShow,
  elicitAnswer,
  elicitDecline,
  elicitCancel,
  taskList,
  taskGet,
  taskResult,
  taskCancel,
  refresh,
  promptList,
  promptGet,
  resourceList,
  resourceRead,
  complete,
  status,
  restart,
  stop,
  configShow,
  configReload,
  serverEntries,
  serverAdd,
  serverRemove,
  settingList,
  settingGet,
  settingSet,
  settingUnset,
];
