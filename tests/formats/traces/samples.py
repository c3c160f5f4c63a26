"""A small file of every schema, made by hand: what users bring who have the published files, or logs of their own."""

# ruff: noqa: E501 -- rows are as long as their publishers made them

from __future__ import annotations

import io
import json
from importlib import import_module
from typing import Any

pa: Any = import_module("pyarrow")
pq: Any = import_module("pyarrow.parquet")

HELIOS = """\
job_id,user,vc,gpu_num,cpu_num,node_num,state,submit_time,start_time,end_time,duration,queue
1425511,uXBbc,vcJkd,1,1,1,COMPLETED,2020-06-09 18:41:01,2020-06-09 18:41:01,2020-06-10 04:55:09,36848,0
1425512,uVMrF,vchbv,16,64,2,FAILED,2020-06-09 18:41:27,2020-06-09 18:41:27,2020-06-09 18:45:36,249,0
1425513,uzqls,vcpDC,0,4,1,CANCELLED,2020-06-09 18:41:28,2020-06-09 18:41:28,2020-06-17 14:15:21,675233,0
1425514,uzqls,vcpDC,8,4,1,CANCELLED,2020-06-09 18:41:29,None,None,,0
"""
SEREN = """\
job_id,user,node_num,gpu_num,cpu_num,type,state,submit_time,start_time,end_time,duration,queue,gpu_time
5778432,u5907,1,8,128,Other,FAILED,2023-03-01 00:18:22+08:00,2023-03-01 00:18:54+08:00,2023-03-01 00:20:51+08:00,117,32,936.0
5778469,u5907,2,16,128,Other,COMPLETED,2023-03-01 00:23:58+08:00,2023-03-01 00:24:11+08:00,2023-03-01 01:09:04+08:00,2693,13,21544.0
"""
KALOS = """\
job_id,user,node_num,gpu_num,cpu_num,mem_per_pod_GB,shared_mem_per_pod,type,state,submit_time,start_time,end_time,fail_time,stop_time,duration,queue,gpu_time
dlctk696s0jbvitv,uf794,8,64,960,1000,100.0,Other,FAILED,2023-02-28 16:20:22+00:00,2023-05-17 11:01:08+00:00,2023-05-17 11:01:16+00:00,2023-05-17 11:01:16+00:00,,18,10.0,1152.0
"""
PAI_JOBS = """\
4b3f04b66a525d2df903eb16,8cb3bec2,58540f191766,Terminated,4550879.0,4551416.0
aaaaaaaaaaaaaaaaaaaaaaaa,8cb3bec3,58540f191766,Failed,4550900.0,4551000.0
bbbbbbbbbbbbbbbbbbbbbbbb,8cb3bec4,d4d51aca8806,Running,4550950.0,
cccccccccccccccccccccccc,8cb3bec5,d4d51aca8806,Waiting,4550960.0,
"""
PAI_TASKS = """\
4b3f04b66a525d2df903eb16,ps,1.0,Terminated,4550900.0,4551416.0,600.0,29.296875,0.0,MISC
4b3f04b66a525d2df903eb16,worker,2.0,Terminated,4550910.0,4551400.0,400.0,10.0,50.0,MISC
aaaaaaaaaaaaaaaaaaaaaaaa,tensorflow,1.0,Failed,4550930.0,4551000.0,600.0,29.296875,800.0,V100
bbbbbbbbbbbbbbbbbbbbbbbb,worker,1.0,Running,4550951.0,,600.0,29.296875,100.0,T4
"""
MACHINES = """\
7399a758eb02bae1a3621236,CPU,96,512,0
0d7b57f3d7b25e52b1ee3a6f,V100,96,384,8
"""
INSTANCES = """\
instance_sn,role,app_name,cpu_request,cpu_limit,gpu_request,gpu_limit,rdma_request,rdma_limit,memory_request,memory_limit,disk_request,disk_limit,max_instance_per_node,creation_time,scheduled_time,deletion_time
instance_0,HN,app_0,12,12,1,1,25,25,120.0,120.0,640.0,800.0,8,,,
instance_1,HN,app_0,12,12,1,1,25,25,120.0,120.0,640.0,800.0,8,100.0,101.0,
instance_2,HN,app_1,12,12,1,1,25,25,120.5,120.5,640.0,800.0,8,100.0,101.0,160.0
instance_3,CN,app_1,64,64,0,0,1,1,320.0,320.0,340.0,400.0,-1,150.0,150.0,250.0
"""
SPOT = """\
job_name,organization,gpu_model,cpu_request,gpu_request,worker_num,submit_time,duration,job_type
239255,13,A10,20,1,1,0,2764799,HP
437260,57,A100-SXM4-80GB,15,1,16,9589663,41060,Spot
437261,57,A100-SXM4-80GB,184,8,94,9589663,71718,HP
"""
SPOT_NODES = """\
gpu_model,gpu_capacity_num,cpu_num,node_name
A100-SXM4-80GB,8,128,0
A10,1,128,1
"""
LINGJUN_JOBS = """\
id,uid,job_name,kind,namespace,model,status,priority,gmt_job_submitted,gmt_job_running,gmt_job_finished,gmt_job_stopped
1,u1,dlc1abc,PyTorchJob,ns-a,gpt-7b,Succeeded,1,2023/7/15 02:19,2023/7/15 02:21,2023/7/15 02:51,
2,u2,dlc2abc,TFJob,ns-b,unknown,Stopped,1,2023/7/15 02:20,2023/7/15 02:22,,2023/7/15 03:22
3,u3,dlc3abc,PyTorchJob,ns-a,rl,Failed,1,2023/7/15 02:25,,,2023/7/15 02:26
4,u4,dlc4abc,PyTorchJob,ns-a,rl,Running,1,2023/7/15 02:25,2023/7/15 02:26,,
"""
LINGJUN_WORKERS = """\
id,job_name,worker_name,replica_type,host_ip,RES
1,dlc1abc,dlc1abc-master-0,master,aa,"{""cpu"": ""90"", ""memory"": ""800Gi"", ""nvidia.com/gpu"": ""8""}"
2,dlc1abc,dlc1abc-worker-0,worker,bb,"{""cpu"": ""90"", ""memory"": ""800Gi"", ""nvidia.com/gpu"": ""8""}"
3,dlc1abc,dlc1abc-worker-1,worker,cc,"{""cpu"": ""90"", ""memory"": ""800Gi"", ""nvidia.com/gpu"": ""8""}"
4,dlc2abc,dlc2abc-ps-0,ps,cc,"{""cpu"": ""4"", ""memory"": ""16Gi""}"
5,dlc2abc,dlc2abc-worker-0,worker,cc,"{""cpu"": ""8"", ""memory"": ""64Gi"", ""nvidia.com/gpu"": 2}"
6,dlc4abc,dlc4abc-worker-0,worker,cc,"{""cpu"": ""8"", ""memory"": ""64Gi"", ""nvidia.com/gpu"": 2}"
"""
MOONCAKE = """\
{"timestamp": 0, "input_length": 1500, "output_length": 500, "hash_ids": [0, 1, 2]}
{"timestamp": 27482, "input_length": 1600, "output_length": 600, "hash_ids": [0, 1, 3, 4]}

{"timestamp": 600000, "input_length": 5000000, "output_length": 400000, "hash_ids": [0, 5]}
"""
AZURE = """\
TIMESTAMP,ContextTokens,GeneratedTokens
2023-11-16 18:17:03.9799600,4808,10
2023-11-16 18:17:04.0319600,3180,8
2023-11-16 18:29:59.0781490,110,27
"""
GAVEL = """\
job_type,total_steps,arrival_time_s,scale_factor_gpus
Transformer (batch size 128),1000,0.000000,1
ResNet-18 (batch size 16),3000,6.000000,4
Recommendation (batch size 8192),200,7.500000,8
"""
RATES = {
    "v100": {
        "('Transformer (batch size 128)', 1)": {"null": 5.0, "('A3C', 1)": [1.0, 2.0]},
        "('ResNet-18 (batch size 16)', 1)": {"null": 10.0},
        "('ResNet-18 (batch size 16)', 4)": {"null": 30.0},
        "('Recommendation (batch size 8192)', 1)": {"null": 2.0},
    },
    "k80": {"('Transformer (batch size 128)', 1)": {"null": 1.0}},
}
GAVEL_LINE = "Transformer (batch size 128)\tpython3 x.py\tdir\t-step\t1\t1000\t1\t1.0\t-1.000000\t25\n"
SHOCKWAVE = """\
job_type,total_steps,scale_factor_gpus,adaptation_mode,duration_s,arrival_time_s
LM (batch size 10),134583,1,gns,1418,0
ResNet-18 (batch size 32),143450,2,accordion,3338,55
"""
SHOCKWAVE_LINE = "LM (batch size 10)\tpython3 m.py\tdir\t-step\t0\t134583\t2\tgns\t1\t-1.000000\t1418\t55\n"
TIRESIAS = """\
job_id,num_gpu,submit_time,iterations,model_name,duration,interval
0,1,0,606,vgg19,164,30
1,8,30,133,vgg11,147,23
"""
MURI = """\
job_id,num_gpu,submit_time,iterations,model_name,batch_size,duration,interval,iteration_time,resource_time_0,resource_time_1,resource_time_2,priority
0,8,0,10956,gpt2,4,5095000,91000,437,0.6,419,49,0
1,16,1534000,1463,vgg16,16,281500,28000,214,82,75,66,1
"""
CHRONUS = """\
job_id,user,num_gpu,submit_time,iterations,model_name,duration,interval,expect_time_list,expect_value_list,best_effort,job_type
0,vc_103959,4,12198,6910,resnet101,211,8,282,10,0,strict
1,vc_7f04ca,1,19772,8897,resnet101,31,6,88,10,0,strict
"""
POLLUX = """\
set,index,name,submit_time_s,application,num_replicas,batch_size
small,1,deepspeech2-0,110,deepspeech2,6,320
small,1,cifar10-1,356.25,cifar10,16,4096
workloads,1,imagenet-0,839,imagenet,2,32768
workloads,1,gpt-1,840,gpt,2,32
"""
SIA_LINES = "name,time,application,num_replicas,batch_size\ncifar10-0,107,cifar10,6,2048\nbert-1,110,bert,6,320\n"
SWF = """\
; Version: 2.2
; UnixStartTime: 1000000000
; MaxProcs: 128
 1 0 10 100 8 -1 -1 8 3600 -1 1 3 2 -1 4 -1 -1 -1
 2 5 -1 -1 -1 -1 -1 16 3600 -1 5 3 2 -1 4 -1 -1 -1
 3 60 0 50 4 -1 2048 -1 -1 1024 0 5 2 -1 -1 -1 1 30

"""
SACCT = """\
JobID|User|Account|Partition|QOS|Submit|Start|Elapsed|Timelimit|State|ReqTRES|AllocTRES
100|ann|nlp|gpu|normal|2026-03-01T08:00:00|2026-03-01T08:00:05|1-02:03:04|2-00:00:00|COMPLETED|billing=16,cpu=64,gres/gpu=16,mem=512G,node=2|billing=16,cpu=64,gres/gpu=16,mem=512G,node=2
100.batch||nlp|||2026-03-01T08:00:05|2026-03-01T08:00:05|1-02:03:04||COMPLETED||cpu=32,mem=256G,node=1
100.0||nlp|||2026-03-01T08:00:05|2026-03-01T08:00:05|1-02:03:04||COMPLETED||cpu=64,node=2
101_[3-9]|bob|vision|gpu|high|2026-03-01T08:01:00|Unknown|00:00:00|UNLIMITED|PENDING|cpu=8,gres/gpu:a100=2,mem=100G,node=1|
102|bob|vision|gpu|high|2026-03-01T08:02:00|2026-03-01T08:02:10|00:30:00|02:00:00|RUNNING|cpu=8,mem=16000M,node=1|cpu=8,gres/gpu=1,mem=16000M,node=1
103|bob|vision|gpu|high|2026-03-01T08:03:00|None|00:00:00|02:00:00|CANCELLED by 1000|cpu=8,gres/gpu=4,node=1|
104|cyd||cpu|low|2026-03-01T08:04:00|2026-03-01T08:04:10|45:00|02:00:00|TIMEOUT|cpu=8,mem=8G,node=1|cpu=8,mem=8G,node=1
"""


def parquet(rows: list[dict[str, Any]]) -> bytes:
    """Return rows as a Parquet file."""
    file = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(rows), file)
    return file.getvalue()


def pod(pod_id: str, workload: str | None = None, gpus: float = 8.0, **more: object) -> dict[str, object]:
    """Return a row of the hourly table of pods."""
    return {
        "pod_id": pod_id,
        "workload_id": workload,
        "server_id": "s1",
        "state_public": "Running",
        "gpu_spec_public": "GPU-A",
        "priority_class": "HP",
        "job_type_public": "training",
        "gpu_request": gpus,
        "cpu_request_cores": 16.0,
        "schedule_delay_sec": 60,
    } | more


ASI_PODS = "data/asi_opensource_pod_hourly/day={}/hour={:02d}/part-000.parquet"
ASI_SUMMARY = "data/asi_opensource_job_execution_summary/part-000.parquet"
ASI_SERVERS = "data/asi_opensource_server_hourly/day=110/hour=00/part-000.parquet"


def asi() -> dict[str, bytes]:
    """Return three hours of pods, and the summary."""
    serving = {"priority_class": "LP", "job_type_public": "online_inference", "schedule_delay_sec": None}
    first = [pod("a", "w"), pod("b", "w"), pod("c", "v", 0.5, **serving), pod("cpu", None, 0.0)]
    second = [
        pod("a", "w"),
        pod("b", "w"),
        pod("c", "v", 0.5, **serving),
        pod("d", "w"),
        pod("e", state_public="Pending"),
    ]
    third = [pod("d", "w"), pod("c", "v", 0.5, **serving)]
    hours = {ASI_PODS.format(109, 23): first, ASI_PODS.format(110, 0): second, ASI_PODS.format(110, 1): third}
    summary = [{"pod_id": "d", "duration_hours": 1.5}, {"pod_id": "elsewhere", "duration_hours": 9.0}]
    return {name: parquet(rows) for name, rows in hours.items()} | {ASI_SUMMARY: parquet(summary)}


def servers() -> bytes:
    """Return one hour of servers."""
    rows = [("s9", "c1", "r1", 8.0), ("s1", "c1", "r2", 8.0), ("s2", "c1", "r1", 4.0), ("s3", "c2", None, 0.0)]
    names = ("server_id", "cluster_id", "asw_id", "gpu_count")
    return parquet(
        [dict(zip(names, row, strict=True)) | {"gpu_spec_public": "GPU-A", "cpu_capacity_cores": 128.0} for row in rows]
    )


TEXTS: dict[str, dict[str, str]] = {
    "helios": {"Venus/cluster_log.csv": HELIOS},
    "acme": {"trace_seren.csv": SEREN, "trace_kalos.csv": KALOS},
    "pai": {"pai_job_table.csv": PAI_JOBS, "pai_task_table.csv": PAI_TASKS},
    "gpu-v2025": {"disaggregated_DLRM_trace.csv": INSTANCES},
    "spot": {"job_info_df.csv": SPOT},
    "lingjun": {"job.csv": LINGJUN_JOBS, "worker.csv": LINGJUN_WORKERS},
    "mooncake": {"conversation_trace.jsonl": MOONCAKE},
    "azure": {"AzureLLMInferenceTrace_code.csv": AZURE},
    "gavel": {"msr-seed0-0e4a51.csv": GAVEL, "simulation_throughputs.json": json.dumps(RATES)},
    "shockwave": {"120jobs_32gpu.csv": SHOCKWAVE},
    "tiresias": {"60_job.csv": TIRESIAS},
    "muri": {"trace1.csv": MURI},
    "chronus": {"trace_job_Philly_SLO.csv": CHRONUS},
    "pollux": {"workloads.csv": POLLUX},
    "sia": {"workload-1.csv": SIA_LINES},
    "swf": {"log.swf": SWF},
    "sacct": {"sacct.txt": SACCT},
}
"""The files of every schema that is text, by kind."""
