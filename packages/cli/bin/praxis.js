#!/usr/bin/env node
// In the repository before any build, since npm links a command at install time only if its file exists.
import "../dist/main.js";
